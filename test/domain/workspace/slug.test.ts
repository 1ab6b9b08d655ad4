import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { checkSlug, maxSlugLength, reservedSlugs, slugOfHost } from "../../../domain/workspace/slug.ts";
import { slugify } from "../../../domain/workspace/slugify.ts";

const domain = "proxy.example.com";
const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const anyText = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));

describe("checkSlug", () => {
  test("a slug of up to 63 characters is accepted", () => {
    expect(checkSlug("a".repeat(maxSlugLength))).toEqual({ ok: true });
    expect(checkSlug("a".repeat(maxSlugLength + 1))).toEqual({ ok: false, reason: "too_long" });
  });

  test.each(["api", "auth", "proxy", "www", "admin"])("the slug %p is reserved for the platform", (slug) => {
    expect(checkSlug(slug)).toEqual({ ok: false, reason: "reserved" });
  });

  test("every reserved slug is a valid slug", () => {
    for (const slug of reservedSlugs) expect(slug).toMatch(slugPattern);
  });

  test("the refusal of an empty slug says why", () => {
    expect(checkSlug("")).toEqual({ ok: false, reason: "empty" });
  });

  test.each(["Acme", "-acme", "acme-", "ac--me", "ac.me", "xn--80ak6aa92e", "acmé", "acme\n"])(
    "the slug %p is refused as malformed",
    (slug) => {
      expect(checkSlug(slug)).toEqual({ ok: false, reason: "malformed" });
    },
  );

  test("a slug made from a name is refused only if it is empty, reserved or too long", () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const check = checkSlug(slugify(name));
        return check.ok || ["empty", "reserved", "too_long"].includes(check.reason);
      }),
    );
  });
});

describe("slugOfHost", () => {
  test.each([
    "acme.proxy.example.com",
    "ACME.Proxy.Example.COM",
    "acme.proxy.example.com:8787",
    "acme.proxy.example.com.",
    "acme.proxy.example.com.:443",
    "acme.proxy.example.com:",
  ])("the slug acme is read from the host %p", (host) => {
    expect(slugOfHost(host, domain)).toBe("acme");
  });

  test.each([
    "",
    ".",
    "proxy.example.com",
    ".proxy.example.com",
    "..proxy.example.com",
    "a..proxy.example.com",
    "a.b.proxy.example.com",
    "acmeproxy.example.com",
    "acme.proxy.example.com.evil.org",
    "acme.proxy.example.comx",
    "acme.proxy.example.com..",
    "acme.proxy.example.com:80:80",
    "acme.proxy.example.com:http",
    "acme.proxy.example.com/",
    "user@acme.proxy.example.com",
    "acme.proxy.example.com, other.proxy.example.com",
    " acme.proxy.example.com",
    "acme.proxy.example.com\n",
    "acme\u0000.proxy.example.com",
    "-acme.proxy.example.com",
    "ac_me.proxy.example.com",
    "acmé.proxy.example.com",
    "xn--acm-dma.proxy.example.com",
    `${"a".repeat(64)}.proxy.example.com`,
    `${"a".repeat(100_000)}.proxy.example.com`,
    `${"a-".repeat(100_000)}.proxy.example.com`,
    "[::1]:8787",
    "127.0.0.1",
  ])("no slug is read from the host %p", (host) => {
    expect(slugOfHost(host, domain)).toBeUndefined();
  });

  test("no slug is read from a host with letters that become ASCII in lower case", () => {
    expect(slugOfHost("\u212aay.proxy.example.com", domain)).toBeUndefined();
    expect(slugOfHost("kay.proxy.\u212aay.com", "proxy.kay.com")).toBeUndefined();
  });

  test("every possible slug of a tenant is read from its host", () => {
    const name = anyText.filter((text) => checkSlug(slugify(text)).ok);
    fc.assert(
      fc.property(name, fc.boolean(), fc.option(fc.integer({ min: 0, max: 65535 })), (text, upper, port) => {
        const slug = slugify(text);
        const host = `${upper ? slug.toUpperCase() : slug}.${domain}${port === null ? "" : `:${port}`}`;
        expect(slugOfHost(host, domain)).toBe(slug);
      }),
    );
  });

  test("the slug of a host is the label before the domain, and other hosts have none", () => {
    const label = fc.string({ unit: fc.constantFrom("a", "-", ".", "A", ":", "1", "é", " "), maxLength: 6 });
    fc.assert(
      fc.property(fc.oneof(anyText, label), (before) => {
        const slug = slugOfHost(`${before}.${domain}`, domain);
        expect(slug === undefined || (slug === before.toLowerCase() && slugPattern.test(slug))).toBe(true);
      }),
    );
  });
});
