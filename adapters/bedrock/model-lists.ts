// Bedrock's lists of models and profiles, and which of them the account may call.
import {
  BedrockClient,
  type FoundationModelSummary,
  GetFoundationModelAvailabilityCommand,
  ListFoundationModelsCommand,
  paginateListInferenceProfiles,
} from "@aws-sdk/client-bedrock";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import type { HostListing, HostLists, ListedModel, ListedProfile } from "../../domain/catalog/host-listing.ts";
import type { Region } from "../../domain/catalog/region.ts";
import { agents } from "../connections.ts";

const timeouts = { connectionTimeout: 1_000, requestTimeout: 10_000 };
const vendor = "anthropic";

/** Some models are listed once more for each context window that capacity is bought for: `anthropic.claude-...:200k`. */
function isWhole({ baseId }: ListedModel): boolean {
  return baseId.startsWith(`${vendor}.`) && !/:\d+k$/.test(baseId);
}

export function modelLists(credentials: AwsCredentialIdentityProvider): HostLists {
  const clients = new Map<Region, BedrockClient>();
  const clientIn = (region: Region) => {
    const known = clients.get(region);
    if (known) return known;
    const requestHandler = { ...timeouts, ...agents(), throwOnRequestTimeout: true };
    const client = new BedrockClient({ region, credentials, requestHandler });
    clients.set(region, client);
    return client;
  };
  return {
    async of(region): Promise<HostListing> {
      const client = clientIn(region);
      const { modelSummaries = [] } = await client.send(new ListFoundationModelsCommand({}));
      const profiles: ListedProfile[] = [];
      for await (const page of paginateListInferenceProfiles({ client }, { typeEquals: "SYSTEM_DEFINED" })) {
        for (const { inferenceProfileId: id = "", status } of page.inferenceProfileSummaries ?? []) {
          if (status === "ACTIVE" && id.includes(`.${vendor}.`)) profiles.push(profileOf(id));
        }
      }
      return { region, models: modelSummaries.map(listed).filter(isWhole), profiles };
    },

    async mayUse(region, modelId) {
      const answer = await clientIn(region).send(new GetFoundationModelAvailabilityCommand({ modelId }));
      return (
        answer.agreementAvailability?.status === "AVAILABLE" &&
        answer.authorizationStatus === "AUTHORIZED" &&
        answer.entitlementAvailability === "AVAILABLE" &&
        answer.regionAvailability === "AVAILABLE"
      );
    },
  };
}

function listed({ modelId = "", modelName = "", modelLifecycle }: FoundationModelSummary): ListedModel {
  const lastDay = modelLifecycle?.endOfLifeTime?.toISOString().slice(0, 10);
  return {
    id: publicId(modelId),
    baseId: modelId,
    name: modelName,
    isLegacy: modelLifecycle?.status === "LEGACY",
    ...(lastDay !== undefined && { lastDay }),
  };
}

/** `claude-opus-4-6` of `anthropic.claude-opus-4-6-v1`. */
export function publicId(baseId: string): string {
  return baseId.replace(/^[a-z]+\./, "").replace(/(-\d{8})?-v\d+(:\d+)?$/, "");
}

/** A profile is spelt as its geography, or `global`, before the model's id. */
export function profileOf(id: string): ListedProfile {
  const [prefix, baseId] = [id.slice(0, id.indexOf(".")), id.slice(id.indexOf(".") + 1)];
  return { id, baseId, reach: prefix === "global" ? "anywhere" : "geography" };
}
