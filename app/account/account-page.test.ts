import { expect, test } from "vitest";

import { ACCOUNT_HOME, accountSignInUrl, nextAccountPage } from "./account-page.ts";

test.each([
  ["/account/filters?x=y", "/account/filters?x=y"],
  ["/webmail/?_task=mail", "/webmail/?_task=mail"],
  ["/webmail", "/webmail"],
  ["/webmail-other", ACCOUNT_HOME],
  [null, ACCOUNT_HOME],
  ["//evil.example/account/filters", ACCOUNT_HOME],
  ["/\\evil.example/account/", ACCOUNT_HOME],
  ["https://evil.example/account/filters", ACCOUNT_HOME],
  ["/console/emails", ACCOUNT_HOME],
  ["/account/../console/emails", ACCOUNT_HOME],
  ["/account/api/me", ACCOUNT_HOME],
  ["/account/sign-in", ACCOUNT_HOME],
  ["/account/new-password", ACCOUNT_HOME],
])("next=%s opens %s", (next, page) => {
  expect(nextAccountPage(next)).toBe(page);
});

test.each([
  ["/account/filters", "?x=y", "/account/sign-in?next=%2Faccount%2Ffilters%3Fx%3Dy"],
  [ACCOUNT_HOME, "", "/account/sign-in"],
  ["/account/new-password", "", "/account/sign-in"],
  ["/account/sign-in", "?next=x", "/account/sign-in?next=x"],
])("%s%s is opened again after signing in at %s", (pathname, search, url) => {
  expect(accountSignInUrl({ pathname, search })).toBe(url);
});
