// Suites that share one running stack.
import { afterAll } from "@jest/globals";
import { stopSharedStack } from "../support/shared-stack.ts";
import "./budget.suite.ts";
import "./rate.suite.ts";
import "./free-credit.suite.ts";
import "./leaving.suite.ts";
import "./deaths.suite.ts";
import "./people.suite.ts";
import "./federation.suite.ts";
import "./stripe.suite.ts";

afterAll(stopSharedStack);
