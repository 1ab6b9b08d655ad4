// TypeScript's judgement of a mutant: what does not compile needs no test.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";

/** Says whether a file of the project compiles with another text. The files that import it are not looked at. */
export function compiler(files: readonly string[]): (file: string, text: string) => boolean {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, process.cwd());
  let changed: { path: string; text: string } | undefined;
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => files.map((file) => resolve(file)),
    getScriptVersion: (path) => (path === changed?.path ? `${version}` : "0"),
    getScriptSnapshot: (path) => {
      if (!ts.sys.fileExists(path)) return undefined;
      return ts.ScriptSnapshot.fromString(path === changed?.path ? changed.text : readFileSync(path, "utf8"));
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return (file, text) => {
    const path = resolve(file);
    changed = { path, text };
    version++;
    return service.getSyntacticDiagnostics(path).length + service.getSemanticDiagnostics(path).length === 0;
  };
}
