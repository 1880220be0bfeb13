/** The agent's image, by digest, that a released package brings; a clone has none. scripts/build.mjs replaces it for a release. */
export const releasedAgentImage: string | undefined = undefined;
