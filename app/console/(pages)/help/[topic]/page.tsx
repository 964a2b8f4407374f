import type { Metadata } from "next";
import { notFound } from "next/navigation";

import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";

import { HelpGuide } from "#app/console/(pages)/help/help.tsx";
import { isTopic, topics } from "#app/console/(pages)/help/topics.ts";

type Given = { params: Promise<{ topic: string }> };

export async function generateMetadata({ params }: Given): Promise<Metadata> {
  const { topic } = await params;
  return { title: isTopic(topic) ? topics[topic].title : "Help" };
}

export default async function TopicPage({ params }: Given) {
  const { topic } = await params;
  if (!isTopic(topic)) notFound();
  return (
    <>
      <Breadcrumbs trail={[{ label: "Help", href: "/console/help" }]} />
      <PageHeader title={topics[topic].title} description={`${topics[topic].about}.`} />
      <HelpGuide topic={topic} />
    </>
  );
}
