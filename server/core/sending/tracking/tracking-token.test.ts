import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { config } from "#server/config.ts";

import {
  readClick,
  readOpen,
  readUnsubscribe,
  signClick,
  signOpen,
  signUnsubscribe,
} from "./tracking-token.ts";

const emailId = "0190f3c2-7a77-7000-8000-0123456789ab";
const otherId = "0190f3c2-7a77-7000-8000-0123456789ac";
const url = "https://a.example/?q=1";

describe("a token", () => {
  test("contains the email's id and the exact URL", () => {
    expect(readOpen(signOpen(emailId))).toBe(emailId);
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.string({ unit: "grapheme" }), (emailId, url) => {
        expect(readClick(signClick({ emailId, url }))).toEqual({ emailId, url });
      }),
    );
  });

  test("contains only letters that need no encoding in a path", () => {
    expect(signClick({ emailId, url: `${url}ü🐣` })).toMatch(/^[\w-]+$/);
  });

  test("differs for each email and URL", () => {
    const tokens = [signClick({ emailId, url }), signClick({ emailId: otherId, url })];
    expect(
      new Set([...tokens, signClick({ emailId, url: `${url}2` }), signOpen(emailId)]).size,
    ).toBe(4);
  });

  test("is rejected if any bit is changed", () => {
    const bytes = Buffer.from(signClick({ emailId, url }), "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(readClick(changed.toString("base64url"))).toBeNull();
    }
  });

  test.each(["", "x", "A".repeat(42), "A".repeat(43), "A".repeat(100), "%", "é".repeat(50)])(
    "is rejected if it is %j",
    (token) => {
      expect(readClick(token)).toBeNull();
      expect(readOpen(token)).toBeNull();
    },
  );

  test("is rejected if it is truncated, extended or spelled differently", () => {
    const token = signClick({ emailId, url });
    for (const other of [
      token.slice(0, -1),
      token.slice(4),
      `${token}AAAA`,
      `${token}=`,
      ` ${token}`,
    ])
      expect(readClick(other)).toBeNull();
    // 32 bytes leave two unused bits in the last base64 letter.
    const open = signOpen(emailId);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const next = alphabet[alphabet.indexOf(open.at(-1)!) + 1]!;
    expect(readOpen(open.slice(0, -1) + next)).toBeNull();
  });

  test("of one kind is rejected as the other", () => {
    expect(readClick(signOpen(emailId))).toBeNull();
    expect(readOpen(signClick({ emailId, url: "" }))).toBeNull();
  });

  test("to unsubscribe contains company, email and recipient, and is rejected as a link", () => {
    for (const isTest of [false, true]) {
      const link = { companyId: otherId, emailId, recipient: "bücher@a.example", isTest };
      const token = signUnsubscribe(link);
      expect(readUnsubscribe(token)).toEqual(link);
      expect(readClick(token)).toBeNull();
    }
    expect(readUnsubscribe(signClick({ emailId, url: url.repeat(3) }))).toBeNull();
  });

  test("of another instance is rejected", () => {
    const token = signClick({ emailId, url });
    const real = config().dataFolder;
    config().dataFolder = `${real}/other`;
    try {
      expect(readClick(token)).toBeNull();
    } finally {
      config().dataFolder = real;
    }
    expect(readClick(token)).toEqual({ emailId, url });
  });
});
