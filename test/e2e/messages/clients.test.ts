// Suites that share one running stack.
import { afterAll } from "@jest/globals";
import { stopSharedStack } from "../../support/shared-stack.ts";
import "./first-message.suite.ts";
import "../access/oauth-client.suite.ts";
import "../access/authentication.suite.ts";
import "../access/isolation.suite.ts";
import "./clients-anthropic.suite.ts";
import "./clients-others.suite.ts";
import "./aliases.suite.ts";
import "./assistants.suite.ts";
import "./defaults.suite.ts";

afterAll(stopSharedStack);
