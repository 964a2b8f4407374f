import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

export type Share = AnswerOf<"mailboxAccess.listShares">["data"][number];

export const sharesQuery = (email: string) =>
  queryOf("mailboxAccess.listShares", {
    params: { email },
  });

type NewShare = Pick<Share, "member" | "access" | "sendAs">;

const share = (email: string, body: NewShare) =>
  change("mailboxAccess.setShare", {
    params: { email },
    body,
  });

export const useSetShare = (email: string) =>
  useAction({
    call: (body: NewShare) => share(email, body),
    invalidates: [sharesQuery(email).queryKey],
    success: ({ member }) => `Shared with ${member}`,
  });

export const useRemoveShare = (email: string) =>
  useAction({
    call: ({ member }: Share) =>
      change("mailboxAccess.removeShare", {
        params: { email, address: member },
      }),
    invalidates: [sharesQuery(email).queryKey],
    success: (_, { member }) => `No longer shared with ${member}`,
    undo: ({ member, access, sendAs }) => share(email, { member, access, sendAs }),
  });
