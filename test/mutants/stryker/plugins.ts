// The plugins that Stryker loads from this folder.
import { declareClassPlugin, declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { DescribedTexts } from "./described-texts.ts";
import { LightTestRunner } from "./runner.ts";

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, "light", LightTestRunner),
  declareValuePlugin(PluginKind.Ignore, "described-texts", new DescribedTexts()),
];
