// Other accounts with one's own address: who came by Google and signs up with a password is two people here.
import { useVisitor } from "../app/page.ts";

export function OtherAccounts() {
  const { other_accounts: others = [] } = useVisitor().me;
  if (others.length === 0) return null;
  const ways = others.map(({ provider }) => (provider === "password" ? "its password" : provider)).join(" or ");
  return (
    <p role="status">
      Your address has another account here, which you sign in to with {ways}. It has workspaces of its own, and the two
      cannot be joined. Sign out and sign in with {ways} to use it.
    </p>
  );
}
