"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import { QueryView } from "#app/console/ui/query-view.tsx";

import { EmailList, EmailListSkeleton } from "./email-list.tsx";
import { NoEmails } from "./no-emails.tsx";
import { PagesOfList } from "./pages-of-list.tsx";
import { emailsQuery, type Place } from "./queries.ts";

export function Emails() {
  const router = useRouter();
  const search = useSearchParams();
  const place = placeOf(search);
  const emails = useQuery(emailsQuery(place));

  // Paged back to the top: from here on the newest belong on the page.
  const isTop =
    place.before !== undefined && !emails.isPlaceholderData && emails.data?.has_more === false;
  useEffect(() => {
    if (isTop) router.replace("/console/emails");
  }, [isTop, router]);

  return (
    <QueryView query={emails} what="the emails" skeleton={<EmailListSkeleton />}>
      {(page) =>
        page.data.length === 0 && !place.after ? (
          <NoEmails />
        ) : (
          <>
            <EmailList emails={page.data} label="Emails, newest first" />
            <PagesOfList place={place} page={page} />
          </>
        )
      }
    </QueryView>
  );
}

function placeOf(search: URLSearchParams): Place {
  const [after, before] = [search.get("after"), search.get("before")];
  if (after) return { after };
  return before ? { before } : {};
}
