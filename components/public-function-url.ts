// A function's URL that is open to all, for a distribution in front of it.
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";

type PublicFunctionUrlArgs = { function: aws.lambda.Function; invokeMode: "BUFFERED" | "RESPONSE_STREAM" };

export function publicFunctionUrl(
  name: string,
  { function: fn, invokeMode }: PublicFunctionUrlArgs,
  opts: pulumi.CustomResourceOptions,
): aws.lambda.FunctionUrl {
  const url = new aws.lambda.FunctionUrl(name, { functionName: fn.name, authorizationType: "NONE", invokeMode }, opts);
  // Since October 2025 a function URL needs both permissions (docs.aws.amazon.com/lambda/latest/dg/urls-auth.html).
  new aws.lambda.Permission(
    `${name}-url`,
    { action: "lambda:InvokeFunctionUrl", function: fn.name, principal: "*", functionUrlAuthType: "NONE" },
    opts,
  );
  new aws.lambda.Permission(
    `${name}-url-invoke`,
    { action: "lambda:InvokeFunction", function: fn.name, principal: "*", invokedViaFunctionUrl: true },
    opts,
  );
  return url;
}
