// What the proxy's endpoints work with.
import type { Admission } from "../../domain/admission.ts";
import type { Log } from "../../domain/log.ts";
import type { ModelHost } from "../../domain/messages/model-host.ts";
import type { SettlementWriter } from "../../domain/spending/unsettled.ts";
import type { Telemetry } from "../../domain/telemetry.ts";
import type { Names } from "./request.ts";
import type { Schedule } from "./silence.ts";

export type ProxyDependencies = {
  admission: Admission;
  modelHost: ModelHost;
  settlements: SettlementWriter;
  telemetry: Telemetry;
  log: Log;
  originSecretHashes: string[];
  vendorSegments: string[];
  names: Names;
  clock: () => number;
  schedule: Schedule;
};
