import type { Page } from "@playwright/test";

/** A page in a state, to take a picture of. */
export type Shot = {
  name: string;
  path: string;
  /** Who looks: the cookie of a session. */
  as?: { cookie: string };
  /** Before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** On the page. */
  act?: (page: Page) => Promise<void>;
  onlyOn?: number;
};

/** What is loading stays so. */
export function neverAnswer(page: Page) {
  return page.route(/\/(console|account)\/api\//, () => new Promise(() => {}));
}

/** Whatever a page reads fails on the server; who is signed in is known. */
export function answerWithFailure(page: Page) {
  const failure = {
    statusCode: 500,
    name: "application_error",
    message: "Something went wrong on the server. Try again later",
  };
  const headers = { "x-request-id": "0f0cfd0c-5d3c-4c5e-9d1c-6ff3f2a1b2c3" };
  return page.route(/\/(console|account)\/api\/(?!me\b)/, (route) =>
    route.fulfill({ status: 500, headers, json: failure }),
  );
}
