"use client";

import { useQuery } from "@tanstack/react-query";

import { emailQuery } from "#app/console/(pages)/emails/queries.ts";
import { EmailStatus } from "#app/console/(pages)/emails/email-status.tsx";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";

import { Acts } from "./acts.tsx";
import { Attachments } from "./attachments.tsx";
import { Content } from "./content.tsx";
import { EmailFacts } from "./email-facts.tsx";
import { EmailSkeleton } from "./email-skeleton.tsx";
import classes from "./email.module.css";
import { Recipients } from "./recipients.tsx";
import { Timeline } from "./timeline.tsx";

export function Email({ id }: { id: string }) {
  const email = useQuery(emailQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Emails", href: "/console/emails" }]} />
      <QueryView query={email} what="this email" skeleton={<EmailSkeleton />} titleOrder={1}>
        {(email) => (
          <>
            <PageHeader
              title={email.subject || "(no subject)"}
              sentence={<EmailStatus state={email.status} />}
              action={<Acts email={email} />}
            />
            <SideBySide
              side={
                <>
                  <Recipients recipients={email.recipients} />
                  <Timeline emailId={id} />
                  <EmailFacts email={email} />
                </>
              }
            >
              <div className={classes.content}>
                <Content email={email} />
                <Attachments email={email} />
              </div>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}
