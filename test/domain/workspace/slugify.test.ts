import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { slugify } from "../../../domain/workspace/slugify.ts";

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const anyText = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));

describe("slugify", () => {
  test.each([
    ["Acme", "acme"],
    ["  Acme   Corp.  ", "acme-corp"],
    ["Ärzte & Söhne GmbH", "arzte-sohne-gmbh"],
    ["STRAẞE straße", "strasse-strasse"],
    ["Ærø Smørrebrød", "aero-smorrebrod"],
    ["Łódź Đorđe Þór", "lodz-dorde-thor"],
    ["İstanbul ırmak", "istanbul-irmak"],
    ["Щукин и Ёлка", "shchukin-i-elka"],
    ["Київ Їжак", "kiiv-izhak"],
    ["Ψυχή Θεός", "psychi-theos"],
    ["ＡＢＣ ①② ﬁn Ⅷ ℂ", "abc-12-fin-viii-c"],
    ["--a__b--", "a-b"],
    ["株式会社", "zhushihuishe"],
    ["한국 회사", "hangug-hoesa"],
    ["हिन्दी", "hindi"],
    ["مرحبا", "mrhb"],
    ["トヨタ自動車 ソニー", "toyotazidongche-soni"],
    ["שלום עולם", "slvm-vlm"],
    ["ประเทศไทย", "praethsaithy"],
    ["Müller & Söhne", "muller-sohne"],
    ["xn--80ak6aa92e", "xn-80ak6aa92e"],
    ["Ольга объект", "olga-obekt"],
    ["100€ & 🚀 © Acme", "100-acme"],
    ["🚀", ""],
    ["!?", ""],
    ["", ""],
  ])("the name %p becomes the slug %p", (name, slug) => {
    expect(slugify(name)).toBe(slug);
  });

  test("a name becomes a slug of letters, digits and single inner hyphens, or an empty slug", () => {
    fc.assert(fc.property(anyText, (name) => slugify(name) === "" || slugPattern.test(slugify(name))));
  });

  test("a name that is already a slug is not changed", () => {
    fc.assert(fc.property(anyText, (name) => slugify(slugify(name)) === slugify(name)));
  });

  test("composed and decomposed letters in a name give the same slug", () => {
    fc.assert(fc.property(anyText, (name) => slugify(name.normalize("NFC")) === slugify(name.normalize("NFD"))));
  });

  test("a slug made from a long name is not shortened", () => {
    expect(slugify("a".repeat(100))).toHaveLength(100);
  });
});
