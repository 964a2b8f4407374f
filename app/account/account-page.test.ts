import { expect, test } from "vitest";

import { accountSignInUrl, HOME, nextAccountPage } from "./account-page.ts";

test.each([
  ["/account/filters?x=y", "/account/filters?x=y"],
  [null, HOME],
  ["//evil.example/account/filters", HOME],
  ["/\\evil.example/account/", HOME],
  ["https://evil.example/account/filters", HOME],
  ["/console/emails", HOME],
  ["/account/../console/emails", HOME],
  ["/account/api/me", HOME],
  ["/account/sign-in", HOME],
  ["/account/new-password", HOME],
])("next=%s opens %s", (next, page) => {
  expect(nextAccountPage(next)).toBe(page);
});

test.each([
  ["/account/filters", "?x=y", "/account/sign-in?next=%2Faccount%2Ffilters%3Fx%3Dy"],
  [HOME, "", "/account/sign-in"],
  ["/account/new-password", "", "/account/sign-in"],
  ["/account/sign-in", "?next=x", "/account/sign-in?next=x"],
])("%s%s is opened again after signing in at %s", (pathname, search, url) => {
  expect(accountSignInUrl({ pathname, search })).toBe(url);
});
