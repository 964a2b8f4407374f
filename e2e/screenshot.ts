import type { Page } from "@playwright/test";

/** A screenshot: a page in a certain state. */
export type Shot = {
  name: string;
  path: string;
  /** The session to sign in with. */
  as?: { cookie: string };
  /** Runs before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** Runs on the opened page. */
  act?: (page: Page) => Promise<void>;
  onlyOn?: number;
};

/** Keeps the page in its loading state. */
export function stallRequests(page: Page) {
  return page.route(/\/(console|account)\/api\//, () => new Promise(() => {}));
}

/** Makes all of the page's requests fail, except the one for the signed-in admin. */
export function failRequests(page: Page) {
  const failure = {
    statusCode: 500,
    name: "application_error",
    message: "Internal error. Try again later",
  };
  const headers = { "x-request-id": "0f0cfd0c-5d3c-4c5e-9d1c-6ff3f2a1b2c3" };
  return page.route(/\/(console|account)\/api\/(?!sessions\/getMe\b)/, (route) =>
    route.fulfill({ status: 500, headers, json: failure }),
  );
}
