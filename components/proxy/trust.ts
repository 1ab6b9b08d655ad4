// The trust of a role in the account that has the models, which may be another account than the platform's.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

type Allowed = { actions: string | string[]; conditions?: Record<string, Record<string, string | string[]>> };

/**
 * Trusts only the caller's role. The role is a condition and no principal: as a principal AWS would keep its id, and trust nobody once the
 * role is made anew (docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html, "IAM role principals").
 */
export function trust(
  platformAccount: pulumi.Output<string>,
  callerRole: aws.iam.Role,
  { actions, conditions = {} }: Allowed,
): pulumi.Output<string> {
  return pulumi.jsonStringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: pulumi.interpolate`arn:aws:iam::${platformAccount}:root` },
        Action: actions,
        Condition: { ArnEquals: { "aws:PrincipalArn": callerRole.arn }, ...conditions },
      },
    ],
  });
}
