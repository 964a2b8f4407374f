import { notFound } from "next/navigation";

// The root has a catch-all that answers JSON; people who mistype a console address get a page.
export default function UnknownPage() {
  notFound();
}
