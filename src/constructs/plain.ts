import type { IntOrString, Quantity } from "cdk8s-plus-27/lib/imports/k8s";

/** The plain object that props of a generated Kubernetes class become: their types, without loading the classes. */
export type Plain<T> = T extends Quantity | IntOrString
  ? string | number
  : T extends Date
    ? string
    : T extends (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends object
        ? { readonly [Key in keyof T as ApiName<Key>]: Plain<T[Key]> }
        : T;

// The generator lower-cases acronyms and restores them at run time.
type ApiName<Key> = Key extends "clusterIp" ? "clusterIP" : Key;
