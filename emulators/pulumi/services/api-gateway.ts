// API Gateway: HTTP APIs, from their host to the function behind them.
import type { Descriptor, Inputs, WiringContext } from "../descriptor.ts";
import { arnOf, idOf, physicalName } from "../names.ts";
import type { DeclaredResource } from "../resources.ts";
import { mayInvoke } from "./lambda.ts";

const api: Descriptor = {
  type: "aws:apigatewayv2/api:Api",
  compute(name, inputs, region) {
    const id = idOf(name, 10);
    const apiEndpoint = `https://${id}.execute-api.${region}.amazonaws.com`;
    const executionArn = arnOf("execute-api", region, id);
    return { id, outputs: { name: physicalName(name, inputs), apiEndpoint, executionArn } };
  },
  inputs: { served: "name", noEffect: "disableExecuteApiEndpoint", fixed: { protocolType: "HTTP" } },
};

export const integration: Descriptor = {
  type: "aws:apigatewayv2/integration:Integration",
  compute: (name) => ({ id: idOf(name, 7), outputs: {} }),
  inputs: {
    served: "apiId integrationUri",
    fixed: { integrationType: "AWS_PROXY", payloadFormatVersion: "2.0" },
  },
  wiring: integrationProblems,
};

export const route: Descriptor = {
  type: "aws:apigatewayv2/route:Route",
  compute: (name) => ({ id: idOf(name, 7), outputs: {} }),
  inputs: { served: "apiId routeKey target" },
};

export const stage: Descriptor = {
  type: "aws:apigatewayv2/stage:Stage",
  compute: (_name, inputs) => ({ id: String(inputs.name), outputs: {} }),
  inputs: { served: "apiId name defaultRouteSettings", noEffect: "autoDeploy" },
};

const domainName: Descriptor = {
  type: "aws:apigatewayv2/domainName:DomainName",
  compute(_name, inputs, region) {
    const targetDomainName = `d-local.execute-api.${region}.amazonaws.com`;
    const domainNameConfiguration = { ...(inputs.domainNameConfiguration as Inputs), targetDomainName };
    return { id: String(inputs.domainName), outputs: { domainNameConfiguration } };
  },
  inputs: { served: "domainName", noEffect: "domainNameConfiguration" },
};

/** The mapping that puts an API on a host. */
export const apiMapping: Descriptor = {
  type: "aws:apigatewayv2/apiMapping:ApiMapping",
  compute: (name) => ({ id: idOf(name, 6), outputs: {} }),
  inputs: { served: "apiId domainName stage" },
};

export const apiGateway = [api, integration, route, stage, domainName, apiMapping];

function integrationProblems({ inputs, outputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const declared = resources.ofType(api.type).find(({ outputs }) => outputs.id === inputs.apiId);
  const functionName = resources.byArn(inputs.integrationUri)?.outputs.name;
  if (!declared || !functionName) {
    return [`HTTP API ${inputs.apiId}: its integration leads to nothing that is declared`];
  }
  const routes = resources.ofType(route.type).filter(({ inputs }) => inputs.target === `integrations/${outputs.id}`);
  const routeKeys = routes.length > 0 ? routes.map(({ inputs }) => String(inputs.routeKey)) : ["$default"];
  const isInvoked = routeKeys.every((routeKey) => {
    // `POST /v1/things` is `POST/v1/things` there.
    const sourceArn = `${declared.outputs.executionArn}/$default/${routeKey.replace(" ", "")}`;
    return mayInvoke(resources, { functionName, principal: "apigateway.amazonaws.com", sourceArn });
  });
  return isInvoked ? [] : [`HTTP API ${declared.name}: API Gateway may not invoke ${functionName}`];
}
