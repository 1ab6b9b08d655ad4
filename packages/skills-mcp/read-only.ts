// What a sign-in that only reads and uses skills asks for.

/** Whether a scope lets its holder change nothing of a skill. */
export function usesSkillsOnly(scope: string): boolean {
  return !scope.endsWith("/skills:rw");
}
