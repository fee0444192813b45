# SPDX-License-Identifier: Apache-2.0
"""Apsis as a community code of AMUSE for gravitational dynamics."""

from amuse.community import CodeInterface, LiteratureReferencesMixIn, NO_UNIT
from amuse.community import StoppingConditionInterface, StoppingConditions
from amuse.community import legacy_function, LegacyFunctionSpecification
from amuse.community import nbody_system
from amuse.community.interface.gd import GravitationalDynamics
from amuse.community.interface.gd import GravitationalDynamicsInterface
from amuse.community.interface.gd import GravityFieldCode
from amuse.community.interface.gd import GravityFieldInterface

# Parameters besides those that AMUSE defines: type, default, unit, description.
PARAMETERS = {
    "eps2": ("float64", 0.0 | nbody_system.length**2, nbody_system.length**2,
             "softening length of all particles, squared"),
    "time_step": ("float64", 0.015625 | nbody_system.time, nbody_system.time,
                  "time step; with stepping other than 'fixed' the longest step"),
    "integrator": ("string", "hermite4", NO_UNIT,
                   "integration scheme, see `apsis list`"),
    "stepping": ("string", "", NO_UNIT,
                 "'fixed', 'adaptive', 'block' or 'own'; '': adaptive for hermite4, "
                 "otherwise the default of the scheme"),
    "eta": ("float64", 0.0, NO_UNIT,
            "accuracy parameter of the time step criterion; 0: the default of the scheme"),
    "solver": ("string", "direct", NO_UNIT, "'direct', 'fmm' or 'auto'"),
    "accuracy": ("float64", 0.0, NO_UNIT,
                 "maximum relative error of accelerations (99th percentile) of the solvers "
                 "'fmm' and 'auto'; 0: their default"),
    "precision": ("string", "double", NO_UNIT, "'double', 'single' or 'mixed'"),
    "deck": ("string", "{}", NO_UNIT,
             "further settings as the JSON text of an Apsis deck, for example the section "
             "'forces'; the other parameters replace its keys"),
    "number_of_threads": ("int32", 0, NO_UNIT,
                          "host threads; 0: OMP_NUM_THREADS, otherwise all processors; "
                          "only before the first particles are committed"),
    "is_time_reversed_allowed": ("bool", False, NO_UNIT,
                                 "whether evolve_model may run backwards in time"),
}
# Names of the parameters of a script that are not those of the functions.
PUBLIC_NAMES = {"eps2": "epsilon_squared", "time_step": "timestep"}
# Functions that GravitationalDynamicsInterface declares already.
DECLARED = {"get_eps2", "set_eps2", "get_time_step"}


def parameter_function(name: str, dtype: str, sets: bool):
    """Returns the declaration of the function that gets or sets one parameter."""

    def declaration():
        function = LegacyFunctionSpecification()
        direction = function.IN if sets else function.OUT
        function.addParameter("value", dtype=dtype, direction=direction)
        function.result_type = "int32"
        function.result_doc = """
        0 - OK
        -1 - ERROR
            the value is out of range
        """
        return function

    declaration.__name__ = ("set_" if sets else "get_") + name
    declaration.__doc__ = ("Sets: " if sets else "Returns: ") + PARAMETERS[name][3]
    return legacy_function(declaration)


class ApsisParametersInterface:
    """Functions that get and set the parameters of PARAMETERS."""


for _name, _parameter in PARAMETERS.items():
    for _sets in (False, True):
        _function = ("set_" if _sets else "get_") + _name
        if _function not in DECLARED:
            setattr(ApsisParametersInterface, _function,
                    parameter_function(_name, _parameter[0], _sets))


class ApsisInterface(CodeInterface, LiteratureReferencesMixIn, GravitationalDynamicsInterface,
                     StoppingConditionInterface, GravityFieldInterface,
                     ApsisParametersInterface):
    """
    Apsis: gravitational N-body simulation with verified conservation laws. Direct summation and
    the fast multipole method, symplectic, Hermite and Gauss-Radau schemes, on processors with
    OpenMP. Each worker is one process with threads.
    """

    include_headers = ["apsis_worker.h"]

    def __init__(self, **options):
        if int(options.get("number_of_workers", 1)) != 1:
            raise ValueError(
                "number_of_workers: Apsis has one worker process (its threads share the work); "
                "set the parameter number_of_threads instead")
        CodeInterface.__init__(self, name_of_the_worker="apsis_worker", **options)
        LiteratureReferencesMixIn.__init__(self)


class ApsisDoc:
    def __get__(self, instance, owner):
        if instance is None:
            return ApsisInterface.__doc__
        return instance.legacy_doc + "\n\n" + instance.parameters.__doc__


class Apsis(GravitationalDynamics, GravityFieldCode):
    __doc__ = ApsisDoc()
    __interface__ = ApsisInterface

    def __init__(self, convert_nbody=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        legacy_interface = self.__interface__(**options)
        self.legacy_doc = legacy_interface.__doc__
        GravitationalDynamics.__init__(self, legacy_interface, convert_nbody, **options)

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        handler.add_method("RUN", "get_acceleration")
        handler.add_transition("RUN", "UPDATE", "set_state", False)
        handler.add_method("UPDATE", "set_state")
        self.stopping_conditions.define_state(handler)

    def define_parameters(self, handler):
        for name, (_, default, _, description) in PARAMETERS.items():
            handler.add_method_parameter(
                "get_" + name, "set_" + name, PUBLIC_NAMES.get(name, name), description,
                default_value=default)
        handler.add_method_parameter(
            "get_begin_time", "set_begin_time", "begin_time", "model time to start the simulation at",
            default_value=0.0 | nbody_system.time)
        self.stopping_conditions.define_parameters(handler)

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        for name, (_, _, unit, _) in PARAMETERS.items():
            handler.add_method("get_" + name, (), (unit, handler.ERROR_CODE))
            handler.add_method("set_" + name, (unit,), (handler.ERROR_CODE,))
        self.stopping_conditions.define_methods(handler)

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        self.stopping_conditions.define_particle_set(handler)
