import { expect, test } from "@jest/globals";
import { getQuickJS } from "quickjs-emscripten";
import { pageAddresses } from "../../../components/console/page-addresses.ts";

const quickJs = await getQuickJS();

test.each([
  ["/", "/index.html"],
  ["/people/d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c", "/index.html"],
  ["/assets/app-0A1B2C3D.js", "/assets/app-0A1B2C3D.js"],
  ["/config.json", "/config.json"],
])("in CloudFront Functions' engine %s leads to %s", (uri, expected) => {
  expect(quickJs.evalCode(`${pageAddresses}; handler(${JSON.stringify({ request: { uri } })}).uri`)).toBe(expected);
});
