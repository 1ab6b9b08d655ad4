// A route of an HTTP API that one function answers, with the API's permission to invoke it.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

type ApiRouteArgs = {
  api: aws.apigatewayv2.Api;
  function: aws.lambda.Function;
  /** `$default`, or a method and a path with a blank between them. */
  routeKey: string;
  /** The permission's name, which is the route's unless given. */
  permissionName?: string;
};

export function apiRoute(
  name: string,
  { api, function: fn, routeKey, permissionName = name }: ApiRouteArgs,
  opts: pulumi.CustomResourceOptions,
): void {
  const integration = new aws.apigatewayv2.Integration(
    name,
    { apiId: api.id, integrationType: "AWS_PROXY", integrationUri: fn.arn, payloadFormatVersion: "2.0" },
    opts,
  );
  const target = pulumi.interpolate`integrations/${integration.id}`;
  new aws.apigatewayv2.Route(name, { apiId: api.id, routeKey, target }, opts);
  const [, path = ""] = routeKey.split(" ");
  new aws.lambda.Permission(
    permissionName,
    {
      action: "lambda:InvokeFunction",
      function: fn.name,
      principal: "apigateway.amazonaws.com",
      // The parts are stage, method and path; `*` takes all of them.
      sourceArn: pulumi.interpolate`${api.executionArn}/${path === "" ? "*" : `*/*${path}`}`,
    },
    opts,
  );
}
