// A worker ends with the run, whatever its tests have left open.
process.once("disconnect", () => process.exit());
