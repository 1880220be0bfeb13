/** Names a page of the documentation, and a section of it, for messages: a user's own repository does not have it. */
export function inDocs(page: string, section?: string): string {
  return `docs/${page}.md of cdk8s-cluster-dns${section === undefined ? "" : `, ${section}`}`;
}
