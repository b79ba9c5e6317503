//! The ten legacy tables as data: their keys, and from which columns the fields of the clean entities come.

use Source::{
    AnyFarm, Code, CoopOfHen, Day, Moment, OptionalText, OptionalWhole, Parent, Text, Whole,
};
use Table::{Behaelt, Equi, Farm, Kunde, Lege, Mseg101, Mseg201, Mseg261, Mseg301, Stall};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    Farm,
    Behaelt,
    Kunde,
    Stall,
    Equi,
    Lege,
    Mseg101,
    Mseg201,
    Mseg301,
    Mseg261,
}

/// Values of a table's key columns, without the client.
pub type Key = Vec<String>;

/// Codes of a column, and what each stands for.
pub type Codes = &'static [(&'static str, &'static str)];

/// Where a field of the clean entity comes from. Columns are in lower case, as they arrive.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    Text(&'static str),
    OptionalText(&'static str),
    Whole(&'static str),
    OptionalWhole(&'static str),
    /// Unknown and missing codes are `otherwise`.
    Code {
        column: &'static str,
        codes: Codes,
        otherwise: &'static str,
    },
    /// `YYYYMMDD`, may be missing.
    Day(&'static str),
    /// `YYYYMMDD` and `HHMMSS`; midnight where the time is missing.
    Moment {
        day: &'static str,
        time: &'static str,
    },
    /// The entity that was made of the row that the column names.
    Parent {
        column: &'static str,
        table: Table,
    },
    /// The coop of the hen that the column names.
    CoopOfHen(&'static str),
    /// The legacy tables do not say which farm: the first known one.
    AnyFarm,
}

impl Table {
    /// Parents before children.
    pub const ALL: [Table; 10] = [
        Farm, Behaelt, Kunde, Stall, Equi, Lege, Mseg101, Mseg201, Mseg301, Mseg261,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Farm => "zfarm_mstr",
            Stall => "zstall_mstr",
            Equi => "zequi_hen",
            Behaelt => "zbehaelt_mstr",
            Kunde => "zkunde_vbr",
            Lege => "zafru_lege",
            Mseg101 => "zmseg_101",
            Mseg201 => "zmseg_201",
            Mseg301 => "zmseg_301",
            Mseg261 => "zmseg_261",
        }
    }

    pub fn entity(self) -> &'static str {
        match self {
            Farm => "farm",
            Stall => "coop",
            Equi => "hen",
            Behaelt => "container",
            Kunde => "consumer",
            Lege => "lay_report",
            Mseg101 => "storage_deposit",
            Mseg201 => "storage_withdrawal",
            Mseg301 => "container_transfer",
            Mseg261 => "consumption_report",
        }
    }

    /// When it is read first: the parents of its rows are in phases before.
    pub fn phase(self) -> usize {
        match self {
            Farm | Behaelt | Kunde => 1,
            Stall => 2,
            Equi => 3,
            Lege | Mseg101 | Mseg201 | Mseg301 | Mseg261 => 4,
        }
    }

    /// Nothing refers to events, and projections count them.
    pub fn is_event(self) -> bool {
        self.phase() == 4
    }

    /// The key columns, and the fields of the clean entity that hold them.
    pub fn key(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Farm => &[("werks", "legacy_werks")],
            Stall => &[("stall_nr", "legacy_stall_nr")],
            Equi => &[("equnr", "legacy_equnr")],
            Behaelt => &[("behaelt_nr", "legacy_behaelt_nr")],
            Kunde => &[("kunnr", "legacy_kunnr")],
            Lege => &[("aufnr", "legacy_aufnr")],
            // The number of a material document begins anew each year.
            Mseg101 | Mseg201 | Mseg301 | Mseg261 => {
                &[("mblnr", "legacy_mblnr"), ("mjahr", "legacy_mjahr")]
            }
        }
    }

    /// The fields of the clean entity besides those of the key.
    pub fn fields(self) -> &'static [(&'static str, Source)] {
        match self {
            Farm => FARM,
            Stall => STALL,
            Equi => EQUI,
            Behaelt => BEHAELT,
            Kunde => KUNDE,
            Lege => LEGE,
            Mseg101 => MSEG_101,
            Mseg201 => MSEG_201,
            Mseg301 => MSEG_301,
            Mseg261 => MSEG_261,
        }
    }
}

type Fields = &'static [(&'static str, Source)];

const FARM: Fields = &[
    ("name", Text("farm_nm")),
    (
        "farm_type",
        Code {
            column: "farm_typ_cd",
            codes: &[("M", "megafarm"), ("L", "local_farm"), ("H", "homestead")],
            otherwise: "local_farm",
        },
    ),
    ("zone", Text("zone_cd")),
    ("owner", OptionalText("eigr")),
];

const STALL: Fields = &[
    ("name", Text("stall_nm")),
    (
        "farm_id",
        Parent {
            column: "werks",
            table: Farm,
        },
    ),
    ("capacity", Whole("kapzt")),
    (
        "coop_type",
        Code {
            column: "stall_typ_cd",
            codes: &[("F", "free_range"), ("C", "cage"), ("B", "barn")],
            otherwise: "barn",
        },
    ),
];

const EQUI: Fields = &[
    ("name", Text("henne_nm")),
    (
        "coop_id",
        Parent {
            column: "stall_nr",
            table: Stall,
        },
    ),
    (
        "breed",
        Code {
            column: "rasse_cd",
            codes: &[
                ("RIR", "rhode_island_red"),
                ("LEG", "leghorn"),
                ("PLY", "plymouth_rock"),
                ("SUS", "sussex"),
                ("ORG", "orpington"),
            ],
            otherwise: "leghorn",
        },
    ),
    ("dob", Day("geb_dt")),
    (
        "status",
        Code {
            column: "stat_cd",
            codes: &[("A", "active"), ("R", "retired"), ("D", "deceased")],
            otherwise: "active",
        },
    ),
];

const BEHAELT: Fields = &[
    ("name", Text("behaelt_nm")),
    (
        "container_type",
        Code {
            column: "behaelt_typ_cd",
            codes: &[("W", "warehouse"), ("S", "market_shelf"), ("F", "fridge")],
            otherwise: "warehouse",
        },
    ),
    ("capacity", Whole("kapzt")),
    ("zone", Text("zone_cd")),
];

const KUNDE: Fields = &[
    ("name", Text("kund_nm")),
    (
        "consumer_type",
        Code {
            column: "vbr_typ_cd",
            codes: &[("H", "household"), ("R", "restaurant"), ("B", "bakery")],
            otherwise: "household",
        },
    ),
    ("zone", Text("zone_cd")),
    ("weekly_demand", OptionalWhole("woch_bedarf")),
];

const LEGE: Fields = &[
    (
        "hen_id",
        Parent {
            column: "equnr",
            table: Equi,
        },
    ),
    ("coop_id", CoopOfHen("equnr")),
    (
        "farm_id",
        Parent {
            column: "werks",
            table: Farm,
        },
    ),
    ("eggs", Whole("ei_menge")),
    (
        "timestamp",
        Moment {
            day: "erfas_dt",
            time: "erfas_zt",
        },
    ),
    (
        "quality",
        Code {
            column: "qual_cd",
            codes: &[
                ("A", "grade_a"),
                ("B", "grade_b"),
                ("C", "cracked"),
                ("D", "double_yolk"),
            ],
            otherwise: "grade_a",
        },
    ),
];

/// Posting date and time of entry of a material document.
const POSTED: (&str, Source) = (
    "timestamp",
    Moment {
        day: "budat",
        time: "cputm",
    },
);

const MSEG_101: Fields = &[
    (
        "container_id",
        Parent {
            column: "behaelt_nr",
            table: Behaelt,
        },
    ),
    (
        "source_type",
        Code {
            column: "quell_typ_cd",
            codes: &[("F", "farm"), ("T", "transfer")],
            otherwise: "farm",
        },
    ),
    ("source_id", AnyFarm),
    ("eggs", Whole("ei_menge")),
    POSTED,
];

const MSEG_201: Fields = &[
    (
        "container_id",
        Parent {
            column: "behaelt_nr",
            table: Behaelt,
        },
    ),
    (
        "reason",
        Code {
            column: "grund_cd",
            codes: &[("S", "spoilage"), ("B", "breakage"), ("Q", "quality_check")],
            otherwise: "spoilage",
        },
    ),
    ("eggs", Whole("ei_menge")),
    POSTED,
];

const MSEG_301: Fields = &[
    (
        "source_container_id",
        Parent {
            column: "quell_beh_nr",
            table: Behaelt,
        },
    ),
    (
        "dest_container_id",
        Parent {
            column: "ziel_beh_nr",
            table: Behaelt,
        },
    ),
    (
        "transport_method",
        Code {
            column: "trans_cd",
            codes: &[("T", "truck"), ("V", "van"), ("K", "cart")],
            otherwise: "truck",
        },
    ),
    ("eggs", Whole("ei_menge")),
    POSTED,
];

const MSEG_261: Fields = &[
    (
        "consumer_id",
        Parent {
            column: "kunnr",
            table: Kunde,
        },
    ),
    (
        "container_id",
        Parent {
            column: "behaelt_nr",
            table: Behaelt,
        },
    ),
    (
        "purpose",
        Code {
            column: "zweck_cd",
            codes: &[
                ("K", "cooking"),
                ("B", "baking"),
                ("W", "resale"),
                ("R", "raw"),
            ],
            otherwise: "cooking",
        },
    ),
    ("eggs", Whole("ei_menge")),
    POSTED,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_read_in_phases_before_their_children() {
        for table in Table::ALL {
            for (field, source) in table.fields() {
                if let Parent { table: parent, .. } = source {
                    assert!(parent.phase() < table.phase(), "{} {field}", table.name());
                }
            }
        }
    }

    #[test]
    fn each_table_has_a_name_and_an_entity_of_its_own() {
        let mut names: Vec<_> = Table::ALL
            .iter()
            .flat_map(|t| [t.name(), t.entity()])
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 20);
    }
}
