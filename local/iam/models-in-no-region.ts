// The ARN of a foundation model in no region, to which global inference profiles route. iam-simulate knows no such resource, so in
// policies and requests alike it has a stand-in for the region, which patterns match as they match none: `*` does, `eu-*` does not.

const inNoRegion = "arn:aws:bedrock:::foundation-model/";
const standIn = "arn:aws:bedrock:unspecified::foundation-model/";

/** A policy's text, or an ARN, as iam-simulate evaluates it. */
export function withSimulatedRegion(text: string): string {
  return text.replaceAll(inNoRegion, standIn);
}
