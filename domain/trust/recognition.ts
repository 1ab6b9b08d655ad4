// Recognition of owners who come again under another account: by the same e-mail address or the same card, kept as keyed hashes. A debt that was
// left with one is less of the next trial, and accounts with one card share a trial (docs/decisions/0094-trust-as-people-settle-it.md).
import { createHmac } from "node:crypto";
import type { AuditEntry } from "../workspace/audit.ts";

/** A debt that left with its owner, in cents as invoices have it. */
export type LeftDebt = { customerId: string; cents: number };

export interface RecognitionStore {
  /** The debts that were left with any of these marks, each once. */
  debts(marks: readonly string[]): Promise<LeftDebt[]>;
  /**
   * Keeps a debt under its marks for 25 months, with the entry of the platform's trail, all or nothing.
   * @returns false if it was kept before
   */
  leave(marks: readonly string[], debt: LeftDebt, entry: AuditEntry): Promise<boolean>;
  /** Notes that the owner has had these cards, and with each owner who has had one of them that they share a trial. May be repeated. */
  share(ownerSub: string, cards: readonly string[]): Promise<void>;
  /** Forgets that the owner has had these cards. */
  unshare(ownerSub: string, cards: readonly string[]): Promise<void>;
}

/** What the payment provider knows an owner by. */
export type Known = {
  email: string | undefined;
  /** The provider's fingerprints of the owner's cards and bank accounts: the same one for the same card on each account. */
  fingerprints: readonly string[];
  /** Marks of cards that the owner had before, since a card may be removed. */
  cards?: readonly string[] | undefined;
};

export class Recognition {
  readonly #key: string;
  readonly #store: RecognitionStore;

  constructor({ key, store }: { key: string; store: RecognitionStore }) {
    this.#key = key;
    this.#store = store;
  }

  /**
   * Recognizes an owner.
   * @param owedBy the cents that a customer of before owes now, by which a debt ends that people have settled; undefined if nobody knows
   * @returns the cents of debts that were left, and marks of all cards that the owner has had
   */
  async of(
    { ownerSub, customerId, ...known }: Known & { ownerSub: string; customerId: string },
    owedBy: (customerId: string) => Promise<number | undefined>,
  ): Promise<{ owedCents: number; cards: string[] }> {
    const cards = this.#cardsOf(known);
    const added = cards.filter((card) => !known.cards?.includes(card));
    if (added.length > 0) await this.#store.share(ownerSub, added);
    const left = await this.#store.debts(this.#marksOf(known));
    const others = left.filter((debt) => debt.customerId !== customerId);
    const owed = await Promise.all(
      others.map(async (one) => Math.min(one.cents, (await owedBy(one.customerId)) ?? one.cents)),
    );
    return { owedCents: owed.reduce((sum, cents) => sum + cents, 0), cards };
  }

  /** Keeps the debt of an owner who leaves. May be repeated. @returns false if it was kept before */
  leave(known: Known, debt: LeftDebt, entry: AuditEntry): Promise<boolean> {
    return this.#store.leave(this.#marksOf(known), debt, entry);
  }

  /** Forgets which cards an owner had who is gone. */
  async forget(ownerSub: string, known: Known): Promise<void> {
    await this.#store.unshare(ownerSub, this.#cardsOf(known));
  }

  #marksOf(known: Known): string[] {
    const { email } = known;
    return [...(email === undefined ? [] : [this.#mark("email", sameAddress(email))]), ...this.#cardsOf(known)];
  }

  #cardsOf({ fingerprints, cards = [] }: Known): string[] {
    return [...new Set([...cards, ...fingerprints.map((one) => this.#mark("card", one))])].sort();
  }

  #mark(kind: "email" | "card", text: string): string {
    return createHmac("sha256", this.#key).update(`${kind} ${text}`).digest("base64url");
  }
}

/** Addresses that reach the same box have the same form: of a tag after `+` nothing stays, and of Google's dots. */
export function sameAddress(email: string): string {
  const [box = "", host = ""] = email.normalize("NFKC").trim().toLowerCase().split("@");
  const [name = ""] = box.split("+");
  const isGoogle = host === "gmail.com" || host === "googlemail.com";
  return isGoogle ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${host}`;
}
