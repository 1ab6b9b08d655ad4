// The queues that the program declares, by URL, name or ARN. The store keeps their messages.
import { AwsError } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { DeclaredResource, Resources } from "../pulumi/resources.ts";
import { deadLetterPolicyOf, queue as queueType } from "../pulumi/services/sqs.ts";
import type { Store } from "../store.ts";
import { type Message, maxMessageBytes } from "./message.ts";
import { Queue, type QueueSettings } from "./queue.ts";

export class Queues {
  readonly #byArn: ReadonlyMap<string, Queue>;

  /** Messages of queues that are no longer declared are dropped. */
  constructor({ resources, store, clock }: { resources: Resources; store: Store; clock: Clock }) {
    const kept = store.collection<Message>("sqs-message");
    const queues = resources.ofType(queueType.type).map((declared) => {
      const settings = settingsOf(declared);
      const deadLetters = () => this.byArn(settings.redrive?.deadLetterTargetArn ?? "");
      return [settings.arn, new Queue(settings, { clock, kept, deadLetters })] as const;
    });
    this.#byArn = new Map(queues);
    for (const message of kept.all()) {
      const queue = this.byArn(message.queueArn);
      if (queue) queue.load(message);
      else kept.delete(message.id);
    }
  }

  get all(): Queue[] {
    return [...this.#byArn.values()];
  }

  byArn(arn: string): Queue | undefined {
    return this.#byArn.get(arn);
  }

  /** The queue that the path of a URL names; its host does not count. @throws AwsError QueueDoesNotExist */
  byUrl(url: string): Queue {
    return this.byName(queueNameIn(url));
  }

  /** @throws AwsError QueueDoesNotExist */
  byName(name: string): Queue {
    const found = this.all.find(({ settings }) => settings.name === name);
    if (!found) throw new AwsError("QueueDoesNotExist", "The specified queue does not exist.");
    return found;
  }

  /**
   * Moves the dead letters of a queue back to the queues that they came from, as new messages. @returns their number
   * @throws AwsError QueueDoesNotExist
   */
  replay(name: string): number {
    return this.byName(name).moveTo(({ deadLetterSourceArn = "" }) => this.byArn(deadLetterSourceArn));
  }

  close(): void {
    for (const queue of this.all) queue.close();
  }
}

export function queueNameIn(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** The defaults are AWS's, except the size: the provider of Pulumi has a default of 256 KiB. */
function settingsOf({ inputs, outputs }: DeclaredResource): QueueSettings {
  return {
    name: outputs.name,
    arn: outputs.arn,
    url: outputs.url,
    visibilityTimeoutSeconds: inputs.visibilityTimeoutSeconds ?? 30,
    retentionSeconds: inputs.messageRetentionSeconds ?? 345_600,
    delaySeconds: inputs.delaySeconds ?? 0,
    maxMessageBytes: Math.min(inputs.maxMessageSize ?? 262_144, maxMessageBytes),
    redrive: deadLetterPolicyOf(inputs),
  };
}
