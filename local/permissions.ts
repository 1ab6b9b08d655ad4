// Prints which permissions the roles used, on which kinds of records, merged over all runs of the local stack that wrote their report:
//   ARCHWAY_PERMISSIONS_DIR=.local/permissions npm run jest -- --maxWorkers=1 test/e2e && npm run permissions -- .local/permissions
import { readReports, table } from "./permission-report.ts";

const folder = process.argv[2] ?? process.env.ARCHWAY_PERMISSIONS_DIR;
if (folder === undefined) {
  console.error("Usage: npm run permissions -- FOLDER (or set ARCHWAY_PERMISSIONS_DIR)");
  process.exitCode = 2;
} else {
  try {
    console.log(table(await readReports(folder)));
  } catch (error) {
    console.error(`${folder}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
