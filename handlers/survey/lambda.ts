// AWS runs this as the function `survey`, with the lists of Bedrock and AWS's price list.
import catalogData from "#catalog";
import { modelLists } from "../../adapters/bedrock/model-lists.ts";
import { priceLists } from "../../adapters/bedrock/price-list.ts";
import { surveyStore, takenModelStore } from "../../adapters/dynamodb/catalog/survey-store.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { roleCredentials } from "../../adapters/sts.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import { readEnv } from "../contract.ts";
import { survey } from "./contract.ts";
import { surveyHandler } from "./handler.ts";

const env = readEnv(survey);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

export const handler = surveyHandler({
  catalog: parseCatalog(catalogData),
  host: modelLists(roleCredentials(env.MODEL_LISTS_ROLE_ARN, "survey")),
  prices: priceLists(),
  store: surveyStore(rows),
  taken: takenModelStore(rows),
  families: env.NEW_MODELS,
  log: powertoolsLog("survey"),
  clock: Date.now,
});
