import { z } from "zod";

import type { Quarantined } from "#drizzle/schema/index.ts";
import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  deleteQuarantined,
  getQuarantined,
  listQuarantine,
} from "#server/core/mail/quarantine/quarantine.ts";
import {
  releaseQuarantined,
  releaseToMailbox,
} from "#server/core/mail/quarantine/release-quarantined.ts";
import { visibleReasons } from "#server/core/mail/quarantine/quarantine-message.ts";
import { readOwnQuarantine } from "#server/core/mail/quarantine/own-quarantine.ts";
import {
  accountChange,
  accountRead,
  change,
  pageEndpoints,
  pathOf,
  read,
} from "#server/http/endpoint.ts";

const QuarantinePath = pathOf("Message not found in quarantine", { id: z.uuid() });

function shownQuarantined(held: Quarantined) {
  const { id, reason, sender, headerFrom: from, subject, recipients, score, createdAt } = held;
  return {
    id,
    reason,
    sender,
    from,
    subject,
    recipients,
    score,
    createdAt: consoleTimestamp(createdAt),
  };
}

/** Messages in quarantine that the admin can decide about. */
export const quarantineConsole = pageEndpoints("console", "quarantine", {
  list: read({
    privilege: ["update_users", "manage_groups"],
    query: PageQuery.and(
      z.object({
        reason: z.enum(["spam", "virus", "moderation"]).optional(),
        search: z.string().max(200).optional(),
        sort: sortQuery(["created"], "-created"),
      }),
    ),
    async handle({ ctx, signedIn, query: { reason, search, sort, ...request } }) {
      const { direction } = sort;
      const visible = visibleReasons(signedIn);
      const reasons = reason ? visible.filter((one) => one === reason) : visible;
      const filter = { reasons, search: search || null };
      const page = await listQuarantine(ctx, { ...request, direction }, filter);
      return countedList(page, shownQuarantined);
    },
  }),

  get: read({
    privilege: ["update_users", "manage_groups"],
    params: QuarantinePath,
    async handle({ ctx, signedIn, params }) {
      const held = await getQuarantined(ctx, params.id, visibleReasons(signedIn));
      const { findings, clientAddress, size, text, isFromHtml, attachments, source, isCut } = held;
      return {
        ...shownQuarantined(held),
        findings,
        clientAddress,
        size,
        text,
        attachments,
        source,
        isFromHtml,
        isCut,
      };
    },
  }),

  release: change({
    privilege: ["update_users", "manage_groups"],
    params: QuarantinePath,
    async handle({ ctx, signedIn, params }) {
      const { to, gone } = await releaseQuarantined(ctx, params.id, visibleReasons(signedIn));
      return { releasedTo: to, gone };
    },
  }),

  delete: change({
    privilege: ["update_users", "manage_groups"],
    params: QuarantinePath,
    async handle({ ctx, signedIn, params }) {
      await deleteQuarantined(ctx, params.id, visibleReasons(signedIn));
      return { id: params.id };
    },
  }),
});

/** The mailbox user's own messages in quarantine. */
export const quarantineAccount = pageEndpoints("account", "quarantine", {
  list: accountRead({
    async handle({ ctx, mailbox }) {
      const { isVisible, canRelease, messages } = await readOwnQuarantine(ctx, mailbox.address);
      return {
        isVisible,
        data: messages.map(({ id, reason, headerFrom, sender, subject, createdAt }) => ({
          id,
          from: headerFrom || sender,
          subject,
          createdAt: consoleTimestamp(createdAt),
          reason: reason === "virus" ? reason : ("spam" as const),
          canRelease: canRelease && reason === "spam",
        })),
      };
    },
  }),

  release: accountChange({
    params: pathOf("Message not found in quarantine", { id: z.uuid() }),
    async handle({ ctx, mailbox, params }) {
      await releaseToMailbox(ctx, mailbox.address, params.id);
      return { released: true as const };
    },
  }),
});
