// Validates objects as an API server does when they are created, without one: strict decoding, defaults, validation. It reads a JSON
// list of objects a line, and answers each with a JSON list of what is wrong.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/feature"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	netutils "k8s.io/utils/net"
	"k8s.io/utils/ptr"
)

// Never called: without an authorizer, nobody is asked whether the user may read the parameters of a policy.
var resources = resolver.ResourceResolverFunc(nil)

var strategies = map[string]rest.RESTCreateStrategy{
	"ClusterRole":                      clusterrole.Strategy,
	"ClusterRoleBinding":               clusterrolebinding.Strategy,
	"ConfigMap":                        configmap.Strategy,
	"DaemonSet":                        daemonset.Strategy,
	"Deployment":                       deployment.Strategy,
	"Job":                              job.Strategy,
	"MutatingAdmissionPolicy":          mutatingadmissionpolicy.NewStrategy(nil, nil),
	"MutatingAdmissionPolicyBinding":   mutatingadmissionpolicybinding.NewStrategy(nil, nil, resources),
	"MutatingWebhookConfiguration":     mutatingwebhookconfiguration.Strategy,
	"NetworkPolicy":                    networkpolicy.Strategy,
	"PodDisruptionBudget":              poddisruptionbudget.Strategy,
	"Role":                             role.Strategy,
	"RoleBinding":                      rolebinding.Strategy,
	"Secret":                           secret.Strategy,
	"Service":                          service.Strategy,
	"ServiceAccount":                   serviceaccount.Strategy,
	"ValidatingAdmissionPolicy":        validatingadmissionpolicy.NewStrategy(nil, nil),
	"ValidatingAdmissionPolicyBinding": validatingadmissionpolicybinding.NewStrategy(nil, nil, resources),
	"ValidatingWebhookConfiguration":   validatingwebhookconfiguration.Strategy,
}

// Features that a cluster file may use and that clusters must turn on, as its reference page says.
const features = "TaintTolerationComparisonOperators=true"

func main() {
	if err := feature.DefaultMutableFeatureGate.Set(features); err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var objects []json.RawMessage
		if err := json.Unmarshal(line, &objects); err != nil {
			log.Fatal(err)
		}
		problems := []string{}
		for _, object := range objects {
			if problem := validate(object); problem != "" {
				problems = append(problems, problem)
			}
		}
		answer, _ := json.Marshal(problems)
		fmt.Println(string(answer))
	}
}

// Groups that are not Kubernetes' own are not looked at.
func validate(text []byte) string {
	var named metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &named); err != nil {
		return err.Error()
	}
	kind := named.GroupVersionKind()
	if !legacyscheme.Scheme.IsGroupRegistered(kind.Group) {
		return ""
	}
	id := fmt.Sprintf("%s %s/%s: ", named.Kind, named.Namespace, named.Name)
	strategy, ok := strategies[named.Kind]
	if !ok {
		return id + "nobody said how to validate this kind"
	}
	object, err := runtime.Decode(decoder, text)
	if err != nil {
		return id + err.Error()
	}
	system, err := meta.Accessor(object)
	if err != nil {
		return id + err.Error()
	}
	rest.FillObjectMetaSystemFields(system)
	if service, ok := object.(*core.Service); ok {
		allocate(&service.Spec)
	}
	ctx := request.WithNamespace(request.NewContext(), named.Namespace)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{APIGroup: kind.Group, APIVersion: kind.Version})
	if err := rest.BeforeCreate(strategy, ctx, object); err != nil {
		return id + err.Error()
	}
	return ""
}

// What an API server, of a cluster with both families, gives a Service before it validates it.
func allocate(spec *core.ServiceSpec) {
	if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if spec.IPFamilyPolicy == nil {
		spec.IPFamilyPolicy = ptr.To(core.IPFamilyPolicySingleStack)
	}
	for _, address := range spec.ClusterIPs[min(len(spec.IPFamilies), len(spec.ClusterIPs)):] {
		family := core.IPv4Protocol
		if netutils.IsIPv6String(address) {
			family = core.IPv6Protocol
		}
		spec.IPFamilies = append(spec.IPFamilies, family)
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []core.IPFamily{core.IPv4Protocol}
	}
	if spec.ClusterIP == "" {
		for _, family := range spec.IPFamilies {
			spec.ClusterIPs = append(spec.ClusterIPs, addresses[family])
		}
		spec.ClusterIP = spec.ClusterIPs[0]
	}
}

var addresses = map[core.IPFamily]string{core.IPv4Protocol: "10.0.0.1", core.IPv6Protocol: "fd00::1"}

var decoder = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()
