import { test as base } from "@playwright/test";

import type { Privilege } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { closePool, db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { type Appliance, HOSTNAME, startAppliance } from "./appliance.ts";
import { signInWithCookie } from "./session.ts";

/** The test's own company and the signed-in admin. */
type SignedInAs = { companyId: string; email: string; domain: string };

type SignIn = (options?: { privileges?: Privilege[]; isOwner?: boolean }) => Promise<SignedInAs>;
type SendEmail = (
  as: SignedInAs,
  email: {
    subject: string;
    html?: string;
    attachments?: { filename: string; content: string; content_id?: string }[];
  },
) => Promise<string>;

type TestFixtures = {
  /** Creates a company with an admin and signs the page in by cookie. */
  signIn: SignIn;
  /** Sends an email through the REST API, as an application would. */
  sendEmail: SendEmail;
  /** An appliance before its first setup. */
  freshAppliance: Appliance;
  /** Console errors that the test provokes. */
  expectedConsoleErrors: RegExp | null;
  failOnConsoleErrors: undefined;
};

export const test = base.extend<
  TestFixtures,
  { hostname: string; settings: Record<string, string>; appliance: Appliance }
>({
  // Empty for local mode.
  hostname: [HOSTNAME, { option: true, scope: "worker" }],
  // Further environment variables of the appliance.
  settings: [{}, { option: true, scope: "worker" }],

  appliance: [
    async ({ hostname, settings }, provide) => {
      const appliance = await startAppliance({ hostname, settings });
      process.env.DATABASE_URL = appliance.databaseUrl;
      process.env.POSTHOUSE_DATA = appliance.dataFolder;
      process.env.POSTHOUSE_URL = appliance.url;
      process.env.POSTHOUSE_HOSTNAME = hostname;
      // Without an admin, the sign-in page redirects to the first setup.
      await anAdmin((await aCompany()).id, { isOwner: true });
      await provide(appliance);
      await closePool();
      await appliance.stop();
    },
    // Before everything else, because the configuration is read once.
    { scope: "worker", auto: true },
  ],

  baseURL: ({ appliance }, provide) => provide(appliance.url),

  freshAppliance: async ({}, provide) => {
    const appliance = await startAppliance({ hostname: "" });
    await provide(appliance);
    await appliance.stop();
  },

  signIn: async ({ page, appliance }, provide) => {
    await provide(async ({ privileges = ["api_controls"], isOwner = false } = {}) => {
      const company = await aCompany({ name: "Northwind Trading" });
      const domain = await aDomain(company.id);
      const admin = await anAdmin(company.id, { privileges, isOwner, name: "Ann Lee" });
      await signInWithCookie(page, appliance.url, await startSession(db(), admin.id));
      return { companyId: company.id, email: admin.email, domain: domain.name };
    });
  },

  sendEmail: async ({ appliance }, provide) => {
    await provide(async ({ companyId, domain }, email) => {
      const { token } = await anApiKey(companyId);
      const answer = await fetch(`${appliance.url}/emails`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({
          from: `Northwind <hello@${domain}>`,
          to: "ben@example.net",
          html: "<p>Thank you.</p>",
          ...email,
        }),
      });
      const body = (await answer.json()) as { id: string };
      if (!answer.ok) throw new Error(JSON.stringify(body));
      return body.id;
    });
  },

  expectedConsoleErrors: [null, { option: true }],

  // Console errors fail the test, even if the page looks right. Failed requests (4xx) are fine.
  failOnConsoleErrors: [
    async ({ page, expectedConsoleErrors }, provide) => {
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        const isFailedRequest = /Failed to load resource: .* status of 4\d\d/.test(message.text());
        const isExpected = expectedConsoleErrors?.test(message.text()) ?? false;
        if (
          message.type() === "error" &&
          !isFailedRequest &&
          !isExpected &&
          !isFromTraceRecorder(message.text())
        )
          errors.push(message.text());
      });
      await provide(undefined);
      test.expect(errors, "errors in the browser's console").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";

/** The trace recorder injects a script into every frame; the email preview's sandbox blocks it. */
function isFromTraceRecorder(message: string): boolean {
  return /^Blocked script execution in '(about:srcdoc|about:blank|\S+\/console\/email-frame)/.test(
    message,
  );
}
