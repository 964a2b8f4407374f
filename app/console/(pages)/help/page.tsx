import type { Metadata } from "next";

import { PageHeader } from "#app/console/ui/page-header.tsx";

import { TopicList } from "./help.tsx";

export const metadata: Metadata = { title: "Help" };

export default function HelpPage() {
  return (
    <>
      <PageHeader title="Help" description="Short guides with examples for your domain." />
      <TopicList />
    </>
  );
}
