// Global inference profiles route to foundation models whose ARN names no region. iam-simulate knows no such resource, so that
// policies and requests get a stand-in for the region. Patterns match it like an empty region: `*` does, `eu-*` does not.

const inNoRegion = "arn:aws:bedrock:::foundation-model/";
const standIn = "arn:aws:bedrock:unspecified::foundation-model/";

/** Gives a policy's text or an ARN with the stand-in in place of a model in no region. */
export function withSimulatedRegion(text: string): string {
  return text.replaceAll(inNoRegion, standIn);
}
