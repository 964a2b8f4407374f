import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import {
  readNotifications,
  type ShownNotifications,
} from "#server/core/mail/notifications/notification-settings.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Kind, UrlFormat } from "./notification-fields.ts";

const Notifications = z.object({
  kinds: z.array(z.object({ kind: Kind, email: z.boolean(), url: z.boolean() })),
  url: z
    .object({
      host: z.string().describe("The rest of the URL is never returned"),
      format: UrlFormat,
      waiting: z.int().describe("Notices that wait to be posted"),
      last_posted_at: z.string().nullable(),
      failing_since: z.string().nullable(),
      last_error: z.string().nullable(),
    })
    .nullable(),
});

export const getNotifications = defineEndpoint({
  method: "GET",
  path: "/console/api/profile/notifications",
  summary: "Get what you’re notified about",
  permission: "console",
  privilege: null,
  response: z.object({
    company: Notifications,
    server: Notifications.nullable().describe("Null unless you’re an operator"),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const { email, isOperator } = signedIn;
    const read = (scope: "company" | "server") =>
      readNotifications(ctx, { email, scope, held: signedIn });
    return {
      company: shown(await read("company")),
      server: isOperator ? shown(await read("server")) : null,
    };
  },
});

const shown = ({ kinds, url }: ShownNotifications): z.input<typeof Notifications> => ({
  kinds: kinds as z.input<typeof Notifications>["kinds"],
  url: url && {
    ...{ host: url.host, format: url.urlFormat, waiting: url.waiting },
    last_posted_at: url.urlPostedAt && consoleTimestamp(url.urlPostedAt),
    failing_since: url.urlFailingSince && consoleTimestamp(url.urlFailingSince),
    last_error: url.urlError && explainFailure(url.urlError),
  },
});
