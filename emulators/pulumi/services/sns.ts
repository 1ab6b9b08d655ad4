// SNS: the topic that alarms notify. Nobody is notified here.
import type { Descriptor } from "../descriptor.ts";
import { named } from "../names.ts";

const topic: Descriptor = {
  type: "aws:sns/topic:Topic",
  compute: named("sns", ""),
  inputs: { served: "name" },
};

const subscription: Descriptor = {
  type: "aws:sns/topicSubscription:TopicSubscription",
  compute: (name) => ({ id: name, outputs: {} }),
  inputs: { noEffect: "topic protocol endpoint" },
};

export const sns = [topic, subscription];
