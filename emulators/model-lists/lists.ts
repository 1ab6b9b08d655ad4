// The lists of Bedrock: its models and profiles by region, and which of them the account may call. The account may call every model.
//
// docs.aws.amazon.com/bedrock/latest/APIReference: ListFoundationModels, ListInferenceProfiles, GetFoundationModelAvailability.
import { accountId } from "../aws/account.ts";
import type { AwsRequest, AwsResponse } from "../aws/service.ts";
import { type HostModel, profilesIn, publicName } from "../bedrock/models.ts";

const paths = [
  [/^\/foundation-models$/, "ListFoundationModels"],
  [/^\/inference-profiles$/, "ListInferenceProfiles"],
  [/^\/foundation-model-availability\/[^/]+$/, "GetFoundationModelAvailability"],
] as const;

export type ListOperation = (typeof paths)[number][1];

/** Undefined for a request of another kind. */
export function listOperation({ method, path }: Pick<AwsRequest, "method" | "path">): ListOperation | undefined {
  return method === "GET" ? paths.find(([pattern]) => pattern.test(path))?.[1] : undefined;
}

export function listAnswer(operation: ListOperation, models: readonly HostModel[], request: AwsRequest): AwsResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(bodyOf(operation, models, request)),
  };
}

function bodyOf(operation: ListOperation, models: readonly HostModel[], { region, path, query }: AwsRequest): object {
  const here = models.filter((model) => model.onDemand.includes(region) || profilesIn(model, region).length > 0);
  switch (operation) {
    case "ListFoundationModels":
      return { modelSummaries: here.filter(isBy(query.get("byProvider"))).map((model) => summaryOf(model, region)) };
    case "ListInferenceProfiles":
      return {
        inferenceProfileSummaries: here.flatMap((model) =>
          profilesIn(model, region).map((id) => profileOf(id, model, region)),
        ),
      };
    case "GetFoundationModelAvailability":
      return availabilityOf(decodeURIComponent(path.split("/").at(-1) ?? ""), here);
  }
}

function isBy(provider: string | null) {
  return ({ id }: HostModel) => provider === null || id.startsWith(`${provider.toLowerCase()}.`);
}

function summaryOf(model: HostModel, region: string) {
  return {
    modelArn: `arn:aws:bedrock:${region}::foundation-model/${model.id}`,
    modelId: model.id,
    modelName: displayName(model.id),
    providerName: "Anthropic",
    inputModalities: ["TEXT", "IMAGE"],
    outputModalities: ["TEXT"],
    responseStreamingSupported: true,
    customizationsSupported: [],
    inferenceTypesSupported: model.onDemand.includes(region)
      ? ["ON_DEMAND", "INFERENCE_PROFILE"]
      : ["INFERENCE_PROFILE"],
    modelLifecycle: {
      status: model.endsAt === undefined ? "ACTIVE" : "LEGACY",
      ...(model.endsAt !== undefined && { endOfLifeTime: model.endsAt }),
    },
  };
}

function profileOf(id: string, model: HostModel, region: string) {
  return {
    inferenceProfileName: id,
    inferenceProfileArn: `arn:aws:bedrock:${region}:${accountId}:inference-profile/${id}`,
    inferenceProfileId: id,
    models: [{ modelArn: `arn:aws:bedrock:${region}::foundation-model/${model.id}` }],
    status: "ACTIVE",
    type: "SYSTEM_DEFINED",
  };
}

function availabilityOf(modelId: string, here: readonly HostModel[]) {
  const available = here.some(({ id }) => id === modelId) ? "AVAILABLE" : "NOT_AVAILABLE";
  return {
    modelId,
    agreementAvailability: { status: available },
    authorizationStatus: "AUTHORIZED",
    entitlementAvailability: available,
    regionAvailability: available,
  };
}

/** `Claude Opus 4.6` of `anthropic.claude-opus-4-6-v1`. */
export function displayName(id: string): string {
  const words = publicName(id)
    .replace(/-\d{8}$/, "")
    .split("-");
  const names = words.filter((word) => !/^\d+$/.test(word)).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${names.join(" ")} ${words.filter((word) => /^\d+$/.test(word)).join(".")}`;
}
