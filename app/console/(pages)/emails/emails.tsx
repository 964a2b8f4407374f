"use client";

import { useQuery } from "@tanstack/react-query";

import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { EmailList, EmailListSkeleton } from "./email-list.tsx";
import { NoEmails } from "./no-emails.tsx";
import { emailsQuery } from "./queries.ts";

export function Emails() {
  const place = usePlace();
  const emails = useQuery(emailsQuery(place));
  return (
    <QueryView query={emails} what="the emails" skeleton={<EmailListSkeleton />}>
      {(page) =>
        page.data.length === 0 && !place.after && !place.before ? (
          <NoEmails />
        ) : (
          <>
            <EmailList emails={page.data} />
            <PagesOfList place={place} page={page} isFormer={emails.isPlaceholderData} />
          </>
        )
      }
    </QueryView>
  );
}
