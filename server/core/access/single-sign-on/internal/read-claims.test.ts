import { expect, test } from "vitest";

import { readIssuer } from "./connect-provider.ts";
import { type Claims, readClaims } from "./read-claims.ts";

const GOOGLE = "https://accounts.google.com";
const ENTRA = "https://login.microsoftonline.com/3f2b1c00-0000-4000-8000-1234567890ab/v2.0";
const KEYCLOAK = "https://id.example.com/realms/staff";
const OWN = new Set(["example.com"]);

const verified = { email: "Ann@example.com", email_verified: true };
const read = (issuer: string, claims: Omit<Claims, "sub">) =>
  readClaims(issuer, { sub: "1", ...claims }, OWN);

test("takes only a verified address", () => {
  expect(read(KEYCLOAK, verified)).toEqual({ subject: "1", email: "ann@example.com" });
  expect(read(KEYCLOAK, { ...verified, email_verified: "true" }).email).toBe("ann@example.com");
  for (const claim of [false, "false", undefined, null, 0])
    expect(read(KEYCLOAK, { ...verified, email_verified: claim }).email).toBeNull();
  const names = { preferred_username: "ann@example.com", xms_edov: true, email: "ann@example.com" };
  expect(read(KEYCLOAK, names).email).toBeNull();
});

test("takes only Google accounts of the company's Workspace", () => {
  expect(read(GOOGLE, { ...verified, hd: "Example.com" }).email).toBe("ann@example.com");
  expect(() => read(GOOGLE, verified)).toThrow("This is a personal Google account");
  expect(() => read(GOOGLE, { ...verified, hd: "example.org" })).toThrow(
    "example.org, whose ownership this company hasn't verified",
  );
});

test("takes only members of the Entra tenant, and their user name unless the address is verified", () => {
  const member = { acct: 0, preferred_username: "Ann@example.com", email: "other@example.net" };
  expect(read(ENTRA, member).email).toBe("ann@example.com");
  expect(read(ENTRA, { ...member, xms_edov: "1" }).email).toBe("other@example.net");
  expect(() => read(ENTRA, { ...member, acct: undefined })).toThrow("optional claim acct");
  for (const acct of [1, "1", null, "", "guest"])
    expect(() => read(ENTRA, { ...member, acct, xms_edov: true })).toThrow("Guests");
});

test("reads issuers, and discovery documents", () => {
  expect(readIssuer(` ${KEYCLOAK}/.well-known/openid-configuration `)).toBe(KEYCLOAK);
  expect(readIssuer(ENTRA)).toBe(ENTRA);
  for (const tenant of ["common", "organizations", "9188040d-6c67-4c5b-b112-36a304b66dad"])
    expect(() => readIssuer(`https://login.microsoftonline.com/${tenant}/v2.0`)).toThrow(
      "must name your tenant",
    );
  for (const issuer of [
    "http://id.example.com",
    "id.example.com",
    "https://a@id.example.com",
    "https://:b@id.example.com",
  ])
    expect(() => readIssuer(issuer)).toThrow("must be an https URL");
});
