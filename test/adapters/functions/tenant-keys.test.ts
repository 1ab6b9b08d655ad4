import { expect, test } from "@jest/globals";
import { askedTenantKeys } from "../../../adapters/functions/tenant-keys.ts";
import { lambdaWith } from "../../support/program/asked-lambda.ts";

test("a tenant's key is created and removed by the function of the keys", async () => {
  const made = lambdaWith({ payload: { result: {} } });
  await askedTenantKeys("arn:keys", made.invoke).setUp("t1");
  expect(made.asked).toEqual([["arn:keys", { action: "set_up", input: { tenant_id: "t1" } }]]);
  const removed = lambdaWith({ payload: { result: { removed: { kms_key: 2 } } } });
  expect(await askedTenantKeys("arn:keys", removed.invoke).remove("t1")).toEqual({ kms_key: 2 });
});

test("a function of the keys that does not answer is an error that names the function", async () => {
  const { invoke } = lambdaWith(new Error("timed out"));
  await expect(askedTenantKeys("arn:keys", invoke).setUp("t1")).rejects.toThrow("tenant-keys did not answer");
});
