// The alarm of a function that finds usage which is not billed as it should be.
import * as pulumi from "@pulumi/pulumi";
import { alarmAbove } from "../alarm.ts";

/** @param service the name under which adapters/telemetry.ts emits the metric; the metric's log line says whose usage it is, and why */
export function unbilledAlarm(
  name: string,
  { service, description }: { service: string; description: string },
  opts: pulumi.CustomResourceOptions,
): void {
  const metric = {
    namespace: "Archway",
    metricName: "usage_unbilled",
    dimensions: { service, stack: pulumi.getStack() },
  };
  alarmAbove(`${name}-unbilled`, { description, metric, periodSeconds: 900 }, opts);
}
