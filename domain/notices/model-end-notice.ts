// The notice that a model ends: the owner of each workspace that calls the model within a month of its last day is mailed once for that
// day. Another day is another notice. Nobody is told of a day that is past, or that the catalog no longer names.
import * as z from "zod";
import { successorOf } from "../catalog/availability.ts";
import { type Catalog, findModel, type Model } from "../catalog/catalog.ts";
import { dayMs, hourMs } from "../kernel/period.ts";
import type { Queue } from "../kernel/queue.ts";
import type { MailState } from "./notice.ts";

export const modelEndNoticeSchema = z.strictObject({
  kind: z.literal("model_end"),
  tenant_id: z.string(),
  model: z.string(),
  display_name: z.string(),
  /** The place at which the model ends: the model host, after which calls are refused, or the vendor's own API, which changes nothing here. */
  at: z.enum(["host", "vendor"]),
  last_day: z.iso.date(),
  successor: z.string().optional(),
});

export type ModelEndNotice = z.output<typeof modelEndNoticeSchema>;

export interface ModelEndNoticeStore {
  get(notice: ModelEndNotice): Promise<MailState | undefined>;
  /** Writes the record. @returns false if the stored record is not at the version before */
  put(notice: ModelEndNotice, record: MailState): Promise<boolean>;
}

type ModelEndNoticesDependencies = {
  endRecords: ModelEndNoticeStore;
  queue: Pick<Queue<ModelEndNotice>, "send">;
  catalog: Catalog;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

const noticeDays = 31;
/** A notice that is due for this long has lost its message. */
const overdueMs = hourMs;

/** Finds the notices that are due: the meter knows which models a workspace called. */
export class ModelEndNotices {
  readonly #deps: ModelEndNoticesDependencies;

  constructor(deps: ModelEndNoticesDependencies) {
    this.#deps = deps;
  }

  /** Records and queues the notices of models that were called. @param modelIds as the ledger names them */
  async ofCalled(tenantId: string, modelIds: readonly string[]): Promise<void> {
    const { endRecords, queue, clock } = this.#deps;
    for (const notice of modelIds.flatMap((id) => this.#endings(id).map((end) => ({ ...end, tenant_id: tenantId })))) {
      const known = await endRecords.get(notice);
      const isOverdue = known?.state === "due" && clock() - known.changed_at > overdueMs;
      if (known && !isOverdue) continue;
      const isDue =
        known !== undefined || (await endRecords.put(notice, { state: "due", changed_at: clock(), version: 1 }));
      if (isDue) await queue.send(notice);
    }
  }

  #endings(id: string): Omit<ModelEndNotice, "tenant_id">[] {
    const { catalog, clock } = this.#deps;
    const model = findModel(catalog, id);
    if (!model) return [];
    const successor = successorOf(catalog, model, clock())?.id;
    return daysOf(model)
      .filter(({ last_day }) => isWithinAMonth(last_day, clock()))
      .map((end) => ({
        kind: "model_end",
        model: model.id,
        display_name: model.display_name,
        ...end,
        ...(successor !== undefined && { successor }),
      }));
  }
}

function daysOf({ last_day, vendor_last_day }: Model): Pick<ModelEndNotice, "at" | "last_day">[] {
  return [
    ...(last_day === undefined ? [] : [{ at: "host" as const, last_day }]),
    ...(vendor_last_day === undefined ? [] : [{ at: "vendor" as const, last_day: vendor_last_day }]),
  ];
}

function isWithinAMonth(day: string, now: number): boolean {
  const end = Date.parse(day) + dayMs;
  return now < end && end - now <= noticeDays * dayMs;
}
