import { z } from "zod";

import { RoleIds } from "./roles.ts";
import { replaceSession } from "./sessions.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { acceptInvitation } from "#server/core/access/invitations/accept-invitation.ts";
import {
  findInvitation,
  invitationLink,
  invite,
  listInvitations,
  resendInvitation,
  updateInvitation,
  withdrawInvitation,
} from "#server/core/access/invitations/invitations.ts";
import { findSignedIn } from "#server/core/access/sessions/sessions.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { sessionOrigin } from "#server/http/second-factors.ts";

const InvitationPath = pathOf("Invitation not found. It may have been accepted or withdrawn", {
  id: z.uuid(),
});

/** What an invitation grants. */
const Grant = {
  isOwner: z.boolean().default(false),
  roleIds: RoleIds.default([]),
};

/** Invitations to the team: admins create them, and invited people accept them. */
export const invitationsConsole = pageEndpoints("console", "invitations", {
  list: read({
    privilege: "manage_admins",
    async handle({ ctx }) {
      const found = await listInvitations(ctx);
      return {
        data: found.map((invitation) => ({
          ...invitation,
          createdAt: consoleTimestamp(invitation.createdAt),
          expiresAt: consoleTimestamp(invitation.expiresAt),
        })),
      };
    },
  }),

  invite: change({
    privilege: "manage_admins",
    body: z.object({
      email: z.string().max(1000),
      name: z.string().max(1000).default(""),
      ...Grant,
    }),
    bodyLimit: "directory",
    async handle({ ctx, body }) {
      const { id, token } = await invite(ctx, body);
      return { id, link: invitationLink(token) };
    },
  }),

  update: change({
    privilege: "manage_admins",
    params: InvitationPath,
    body: z.object(Grant),
    bodyLimit: "directory",
    async handle({ ctx, params: { id }, body }) {
      await updateInvitation(ctx, id, body);
      return { id };
    },
  }),

  resend: change({
    privilege: "manage_admins",
    params: InvitationPath,
    async handle({ ctx, params: { id } }) {
      const { token } = await resendInvitation(ctx, id);
      return { link: invitationLink(token) };
    },
  }),

  withdraw: change({
    privilege: "manage_admins",
    params: InvitationPath,
    async handle({ ctx, params: { id } }) {
      await withdrawInvitation(ctx, id);
      return { id };
    },
  }),

  /** A POST, because URLs with tokens end up in logs. */
  get: change({
    permission: "same_origin",
    body: z.object({ token: z.string().max(200) }),
    bodyLimit: "directory",
    async handle({ db, request, body: { token } }) {
      const signedIn = await findSignedIn(db, request.headers.cookie ?? "");
      const found = await findInvitation(db, token);
      return {
        signedInAs: signedIn?.email ?? null,
        invitation: found && {
          company: found.companyName,
          email: found.email,
          name: found.name,
          isOwner: found.isOwner,
          roles: found.roles,
          invitedBy: found.invitedBy,
          inviterName: found.inviterName,
          expiresAt: consoleTimestamp(found.expiresAt),
          isExpired: found.isExpired,
        },
      };
    },
  }),

  accept: change({
    permission: "same_origin",
    body: z.object({
      token: z.string().max(200),
      name: z.string().max(1000).optional(),
      password: z.string().max(1000).optional(),
    }),
    bodyLimit: "directory",
    async handle({ db, request, body: { token, name = "", password }, headers }) {
      const origin = sessionOrigin(request);
      if (password !== undefined) {
        const by = { name, password };
        await replaceSession(
          db,
          request,
          headers,
          await acceptInvitation(db, { token, by, origin }),
        );
      } else {
        const signedIn = await findSignedIn(db, request.headers.cookie ?? "");
        if (!signedIn)
          throw new Refusal("not_signed_in", "You're not signed in. Sign in and try again");
        headers.append(
          "set-cookie",
          await acceptInvitation(db, { token, by: { signedIn }, origin }),
        );
      }
      return { signedIn: true as const };
    },
  }),
});
