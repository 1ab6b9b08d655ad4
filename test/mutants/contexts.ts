// The contexts whose mutants `npm run mutants` plays, and the tests that judge them.
export const contexts = {
  budget: {
    mutate: ["domain/budget/*.ts"],
    tests: ["test/domain/budget/*.test.ts", "test/adapters/dynamodb/budget/*.test.ts"],
  },
  access: {
    mutate: ["domain/access/*.ts"],
    tests: [
      "test/domain/{access,keys}/*.test.ts",
      "test/adapters/dynamodb/access/*.test.ts",
      "test/handlers/middleware/{authenticate,authorize,credentials}.test.ts",
      "test/handlers/proxy/{services,steps}.test.ts",
      "test/handlers/control/access/*.test.ts",
      "test/handlers/control/{deletions,handler}.test.ts",
      "test/handlers/control/workspace/{me,tenants,tenant-life,users}.test.ts",
    ],
  },
  tools: {
    mutate: ["domain/{tools,integrations,mcp}/*.ts"],
    tests: [
      "test/domain/{tools,integrations,mcp}/*.test.ts",
      "test/adapters/dynamodb/{integrations,mcp}/*.test.ts",
      "test/handlers/interceptor/*.test.ts",
      "test/handlers/control/mcp/*.test.ts",
    ],
  },
  billing: {
    mutate: ["domain/billing/*.ts"],
    tests: [
      "test/domain/billing/*.test.ts",
      "test/domain/provisioning/billing-*.test.ts",
      "test/adapters/dynamodb/billing/*.test.ts",
      "test/handlers/control/billing/*.test.ts",
    ],
  },
};
