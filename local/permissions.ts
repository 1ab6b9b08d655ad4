// Prints which permissions the roles used, on which kinds of records, merged over all runs of the local stack that wrote their report:
//   ARCHWAY_PERMISSIONS_DIR=.local/permissions npm test && node local/permissions.ts .local/permissions
import { readReports, table } from "./aws/permission-report.ts";

const folder = process.argv[2] ?? process.env.ARCHWAY_PERMISSIONS_DIR;
if (folder === undefined) {
  console.error("Usage: node local/permissions.ts <folder> (or set ARCHWAY_PERMISSIONS_DIR)");
  process.exitCode = 2;
} else {
  console.log(table(await readReports(folder)));
}
