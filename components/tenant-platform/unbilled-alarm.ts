// The alarms of the billing: usage that is not billed as it should be, that waits to be reported, and deliveries that are refused.
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

/** The oldest hour that the provider was not told of waits longer than it should: an hour is closed after one, or a day after a death. */
export function waitingAlarm(name: string, opts: pulumi.CustomResourceOptions): void {
  const dimensions = { service: "report", stack: pulumi.getStack() };
  const metric = { namespace: "Archway", metricName: "unreported_hours", dimensions };
  const description = "Usage waits for hours to be reported to the payment provider: the log says why";
  const limit = { threshold: waitingHours, statistic: "Maximum", periodSeconds: 900 } as const;
  alarmAbove(`${name}-waiting`, { description, metric, ...limit }, opts);
}

/** An hour that had to wait for a day, since a function died in it, is old when it is closed. */
const waitingHours = 30;

export function refusedDeliveriesAlarm(name: string, opts: pulumi.CustomResourceOptions): void {
  const dimensions = { service: "webhook", stack: pulumi.getStack() };
  const metric = { namespace: "Archway", metricName: "deliveries_refused", dimensions };
  const description =
    "Events of the payment provider are refused, as their signature is not by the secret that is known: run stripe:setup with --new-webhook";
  alarmAbove(`${name}-refused`, { description, metric, periodSeconds: 3_600 }, opts);
}
