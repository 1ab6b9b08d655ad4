// What an endpoint of the authorization server gets, and what it answers.
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";

export type OAuthRequest = {
  headers: APIGatewayProxyEventV2["headers"];
  cookies: readonly string[];
  query: URLSearchParams;
  body: string;
};

export type OAuthAnswer = APIGatewayProxyStructuredResultV2;
