// Suites that use up what the demo workspace may spend, and share one stack.
import { afterAll, beforeAll } from "@jest/globals";
import { stopSharedStack } from "../../support/shared-stack.ts";

beforeAll(stopSharedStack);
afterAll(stopSharedStack);

import "./budget.suite.ts";
import "./rate.suite.ts";
import "./free-credit.suite.ts";
import "../access/leaving.suite.ts";
import "./deaths.suite.ts";
import "../access/people.suite.ts";
import "../access/federation.suite.ts";
import "../access/invitations.suite.ts";
import "../billing/stripe.suite.ts";
