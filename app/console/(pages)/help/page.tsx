import type { Metadata } from "next";

import { PageHeader } from "#app/console/ui/page-header.tsx";

import { TopicList } from "./topic-list.tsx";

export const metadata: Metadata = { title: "Help" };

export default function HelpPage() {
  return (
    <>
      <PageHeader
        title="Help"
        sentence="Short answers, with your own domain in the code. Search finds them too."
      />
      <TopicList />
    </>
  );
}
