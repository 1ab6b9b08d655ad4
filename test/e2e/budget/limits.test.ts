// Suites that share one running stack.
import { afterAll } from "@jest/globals";
import { stopSharedStack } from "../../support/shared-stack.ts";
import "./budget.suite.ts";
import "./rate.suite.ts";
import "./free-credit.suite.ts";
import "../access/leaving.suite.ts";
import "./deaths.suite.ts";
import "../access/people.suite.ts";
import "../access/federation.suite.ts";
import "../billing/stripe.suite.ts";

afterAll(stopSharedStack);
